#include "engine/setup_permit.hpp"

#include <stdexcept>

namespace onceswap::engine {

SetupPermit::SetupPermit(const protocol::CorrelationToken& token) : token_(token.text()) {
    if (token.action != protocol::Action::setup)
        throw std::logic_error("SetupPermit: the token's action is not `setup`");
}

bool SetupPermit::accepts(protocol::StatementKind kind) {
    using protocol::StatementKind;
    return kind == StatementKind::create_facade || kind == StatementKind::create_candidate ||
           kind == StatementKind::rename_adopt;
}

} // namespace onceswap::engine
