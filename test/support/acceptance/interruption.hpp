#pragma once

namespace onceswap::acceptance {

/// SIGINT and SIGTERM only set a flag from now on; whatever waits looks at it.
void notice_interruptions();
/// The signal that asked the program to end; 0: none did.
int interrupted();
/// Throws Interrupted.
void end_if_interrupted();

} // namespace onceswap::acceptance
