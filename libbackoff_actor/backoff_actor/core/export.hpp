#pragma once

// Marks what the shared libraries export; everything else in them is hidden. Classes inside an
// exported class are exported with it, unless they are marked as hidden.
#if defined(__GNUC__)
#define BACKOFF_ACTOR_EXPORT __attribute__((visibility("default")))
#define BACKOFF_ACTOR_HIDDEN __attribute__((visibility("hidden")))
#else
#define BACKOFF_ACTOR_EXPORT
#define BACKOFF_ACTOR_HIDDEN
#endif
