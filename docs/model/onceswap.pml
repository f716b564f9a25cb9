/* The fencing and dispatch protocol of onceswap for spin; README.md says what stands for what. */
#include "bounds.pml"
#include "record.pml"
#include "properties.pml"
#include "authority.pml"
#include "queue.pml"
#include "verdict.pml"
#include "soundness.pml"
#include "worker.pml"
