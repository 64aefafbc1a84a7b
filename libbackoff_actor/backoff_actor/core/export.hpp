#pragma once

// Marks what the shared libraries show; everything else in them is hidden. Classes inside a shown
// class are shown with it, unless they are marked as hidden.
#if defined(__GNUC__)
#define BACKOFF_ACTOR_EXPORT __attribute__((visibility("default")))
#define BACKOFF_ACTOR_HIDDEN __attribute__((visibility("hidden")))
#else
#define BACKOFF_ACTOR_EXPORT
#define BACKOFF_ACTOR_HIDDEN
#endif
