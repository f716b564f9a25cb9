// onceswap-fuzz: libFuzzer over one target, named by ONCESWAP_FUZZ_TARGET. tools/fuzz runs them all.
#include "target.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {
const onceswap::fuzz::Target* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* const name = std::getenv("ONCESWAP_FUZZ_TARGET");
    for (const onceswap::fuzz::Target& target : onceswap::fuzz::targets()) {
        if (name != nullptr && target.name == name)
            chosen = &target;
    }
    if (chosen == nullptr) {
        std::fputs("onceswap-fuzz: ONCESWAP_FUZZ_TARGET names one of:", stderr);
        for (const onceswap::fuzz::Target& target : onceswap::fuzz::targets())
            std::fprintf(stderr, " %.*s", static_cast<int>(target.name.size()), target.name.data());
        std::fputs("\n", stderr);
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    chosen->run({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
