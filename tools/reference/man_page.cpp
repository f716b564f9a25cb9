#include "tools/reference/man_page.hpp"

#include "tools/cli/version.hpp"
#include "tools/explaining/explanation.hpp"
#include "tools/reference/words.hpp"

namespace onceswap::reference {

namespace {

constexpr std::string_view date = "2026-12-01"; // of this text, not of the build: pages must be reproducible

/// Text as it is: no word of it is a request or an escape.
std::string plain(std::string_view text) {
    std::string out;
    bool at_line_start = true;
    for (const char c : text) {
        if (at_line_start && (c == '.' || c == '\''))
            out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        at_line_start = c == '\n';
    }
    return out;
}

std::string one_line(std::string_view program) {
    return program == "refresh-load" ? "publish a full refresh of a replicated ClickHouse table once"
                                     : "what became of a publication, on every replica";
}

void append_verbs(std::string& out, cli::Program program) {
    out += ".SH VERBS\n";
    for (const cli::Verb verb : cli::verbs_of(program)) {
        out += ".TP\n.B " + plain(text(verb));
        if (const std::string_view operand = cli::operand_name(verb); !operand.empty())
            out += " " + plain(operand);
        out += "\n" + plain(description(verb)) + ".";
        out += cli::default_verb(program) == verb ? " What is done without a verb.\n" : "\n";
    }
}

void append_options(std::string& out, cli::Program program) {
    out += ".SH OPTIONS\n";
    const auto verbs = cli::verbs_of(program);
    for (const cli::OptionRow* row : options_of(program)) {
        out += ".TP\n.B " + plain("--" + std::string(row->name));
        if (!row->value_name.empty())
            out += " " + plain(row->value_name);
        std::string belongs;
        std::size_t count = 0;
        for (const cli::Verb verb : verbs) {
            if ((row->verbs & cli::set_of(verb)) == 0)
                continue;
            belongs += (belongs.empty() ? "" : ", ") + std::string(text(verb));
            ++count;
        }
        out += "\n" + plain(row->description) + ".\n";
        if (count != verbs.size())
            out += "Only " + plain(belongs) + ".\n";
    }
    out += ".PP\nA TIME is 250ms, 5s, 10m, 2h, 1h30m or whole seconds, at most 30 days.\n";
}

void append_exit_status(std::string& out) {
    out += ".SH EXIT STATUS\n";
    for (const explaining::Explanation& each : explaining::all_explanations())
        if (each.kind == "exit code")
            out += ".TP\n.B " + each.name + "\n" + plain(each.meaning) + "\n";
}

} // namespace

std::string man_page(cli::Program program) {
    const std::string name(text(program));
    std::string upper = name;
    for (char& c : upper)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    std::string out = ".\\\" Made from the option table; do not edit.\n.TH " + upper + " 1 " +
                      std::string(date) + " \"onceswap " + std::string(cli::version()) + "\"\n.SH NAME\n" +
                      plain(name) + " \\- " + plain(one_line(name)) + "\n.SH SYNOPSIS\n.B " + plain(name) +
                      "\n.I VERB\n[\n.I OPTIONS\n]\n";
    append_verbs(out, program);
    append_options(out, program);
    append_exit_status(out);
    out +=
        ".SH ENVIRONMENT\nEvery option is also a variable:\n.B \\-\\-http\\-port\nis\n.BR ONCESWAP_HTTP_PORT "
        ".\n"
        "A flag comes before a variable, a variable before a key of the file that\n.B \\-\\-config\nnames.\n"
        "Only on the command line:\n";
    std::string only;
    for (const cli::OptionRow* row : options_of(program))
        if (row->command_line_only)
            only += (only.empty() ? "--" : ", --") + std::string(row->name);
    out += plain(only) + ".\n.TP\n.B ONCESWAP_PASSWORD\nThe password, where no file is named.\n"
                         ".TP\n.B NO_COLOR\nNo colour, unless\n.B \\-\\-color always\nis given.\n";
    out += ".SH SIGNALS\n.TP\n.B SIGINT, SIGTERM\nStop the waiting and print the command that goes on; a "
           "second one "
           "ends at once.\n.TP\n.B SIGUSR1\nPrint what is being done, in one line.\n";
    out += ".SH EXAMPLES\n";
    for (const cli::Verb verb : cli::verbs_of(program))
        out += (out.ends_with(".SH EXAMPLES\n") ? ".EX\n" : ".PP\n.EX\n") + plain(examples(program, verb)) +
               "\n.EE\n";
    out += ".SH SEE ALSO\n.BR " +
           plain(program == cli::Program::refresh_load ? "reconcile-watch" : "refresh-load") + " (1)\n";
    return out;
}

} // namespace onceswap::reference
