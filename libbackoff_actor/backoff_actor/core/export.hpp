#pragma once

// Marks what the shared libraries show; everything else in them is hidden.
#if defined(__GNUC__)
#define BACKOFF_ACTOR_EXPORT __attribute__((visibility("default")))
#else
#define BACKOFF_ACTOR_EXPORT
#endif
