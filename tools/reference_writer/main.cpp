// Writes a program's manual page or completion to standard output: reference-writer PROGRAM man|bash|zsh|fish
#include "tools/reference/completions.hpp"
#include "tools/reference/man_page.hpp"

#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
    using namespace onceswap;
    for (const cli::Program program : {cli::Program::refresh_load, cli::Program::reconcile_watch}) {
        if (argc != 3 || argv[1] != text(program))
            continue;
        const std::string_view what = argv[2];
        if (what == "man")
            std::cout << reference::man_page(program);
        else if (what == "bash")
            std::cout << reference::bash_completion(program);
        else if (what == "zsh")
            std::cout << reference::zsh_completion(program);
        else if (what == "fish")
            std::cout << reference::fish_completion(program);
        else
            break;
        return std::cout.flush() ? 0 : 1;
    }
    std::cerr << "usage: reference-writer refresh-load|reconcile-watch man|bash|zsh|fish\n";
    return 2;
}
