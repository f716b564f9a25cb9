#include "engine/queue.hpp"

#include "engine/member_read.hpp"
#include "engine/task_group.hpp"
#include "protocol/mutant.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/this_coro.hpp>

#include <stdexcept>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

asio::awaitable<void>
ask(Context& context,
    BoundMember member,
    protocol::Statement statement,
    TimePoint deadline,
    QueueAnswer& answer) {
    answer.at = member.member.at;
    const MemberRead read(member, std::move(statement), true);
    const MemberAnswer said = co_await read_once(context, read, deadline);
    auto rows = decode_answer(
        context, read, said, member.server_uuid, protocol::decode_queue, answer.reading.problem
    );
    if (!rows)
        co_return;
    answer.reading.readable = true;
    answer.reading.rows = std::move(rows->rows);
    answer.entries_in_queue = rows->entries_in_queue;
}

asio::awaitable<std::vector<QueueAnswer>> ask_all(
    Context& context, std::vector<BoundMember> members, protocol::Statement statement, TimePoint deadline
) {
    auto executor = co_await asio::this_coro::executor;
    std::vector<QueueAnswer> answers(members.size());
    TaskGroup group(executor);
    for (std::size_t i = 0; i < members.size(); ++i)
        group.spawn(ask(context, members[i], statement, deadline, answers[i]));
    co_await group.join();
    co_return answers;
}

} // namespace

std::vector<protocol::QueueReading> readings_of(const std::vector<QueueAnswer>& answers) {
    std::vector<protocol::QueueReading> readings;
    readings.reserve(answers.size());
    for (const QueueAnswer& answer : answers)
        readings.push_back(answer.reading);
    return readings;
}

asio::awaitable<std::vector<QueueAnswer>>
Queue::read_by_token(std::vector<BoundMember> members, std::string token, TimePoint deadline) {
    auto statement = protocol::queue_by_token_statement(token);
    auto answers = co_await ask_all(context_, std::move(members), std::move(statement), deadline);
    co_return answers;
}

asio::awaitable<std::vector<QueueAnswer>>
Queue::look_up(std::vector<BoundMember> members, std::string token, TimePoint deadline) {
    if (members.empty())
        co_return std::vector<QueueAnswer>(); // nobody answered as itself any more: unreadable, not an error
    const auto statement = protocol::queue_by_token_statement(token);
    std::vector<QueueAnswer> answers(1);
    co_await ask(context_, members.front(), statement, deadline, answers.front());
    if (answers.front().reading.readable && !answers.front().reading.rows.empty())
        co_return answers;
    members.erase(members.begin());
    if (mutated(protocol::Mutant::one_member_speaks_for_the_queue))
        co_return answers;
    auto others = co_await ask_all(context_, std::move(members), statement, deadline);
    for (QueueAnswer& other : others)
        answers.push_back(std::move(other));
    co_return answers;
}

asio::awaitable<std::vector<QueueAnswer>>
Queue::read_by_prefix(std::vector<BoundMember> members, std::string prefix, TimePoint deadline) {
    auto statement = protocol::queue_by_prefix_statement(prefix);
    auto answers = co_await ask_all(context_, std::move(members), std::move(statement), deadline);
    co_return answers;
}

asio::awaitable<QueueAnswer> Queue::read_unfinished(std::vector<BoundMember> members, TimePoint deadline) {
    if (members.empty())
        throw std::logic_error("Queue::read_unfinished: no member to ask");
    const auto statement = protocol::queue_unfinished_statement();
    QueueAnswer answer;
    for (const BoundMember& member : members) {
        answer = QueueAnswer();
        co_await ask(context_, member, statement, deadline, answer);
        if (answer.reading.readable)
            break;
    }
    co_return answer;
}

} // namespace onceswap::engine
