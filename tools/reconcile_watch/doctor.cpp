#include "tools/reconcile_watch/doctor.hpp"

#include "engine/doctor.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/reconcile_watch/doctor_rendering.hpp"

#include <unistd.h>
#include <utility>

namespace onceswap::reconcile_watch {

boost::asio::awaitable<int> doctor(cli::Session& session) {
    engine::Context context = session.context();
    engine::DoctorRequest request;
    request.target = session.options().table;
    request.like = session.options().like;
    request.user = session.options().user;
    request.readonly_user = session.options().readonly_user;
    request.operation = session.options().operation;
    request.accept_lost_authority = session.options().accept_lost_authority;
    request.allow_view_depends = session.options().allow_view_depends;
    request.deadline = session.deadline();
    const engine::Checklist list = co_await engine::examine(context, std::move(request));
    const int own = protocol::exit_code(list.diagnosis);
    const int code = cli::code_in_time(session, own);
    const cli::Terminal terminal = cli::terminal_of(STDOUT_FILENO, session.options().color);
    const bool written = session.publish_result(doctor_text(list, terminal), doctor_document(list, code));
    if (const std::string line = doctor_error_line(list); !line.empty())
        session.error(code == own ? line : cli::deadline_line(line));
    co_return written || code != 0 ? code : cli::exit_failed;
}

} // namespace onceswap::reconcile_watch
