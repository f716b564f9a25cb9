#pragma once

#include "protocol/doctor.hpp"

#include <string>
#include <string_view>
#include <vector>

// The parts of protocol::diagnose. Internal to this module.

namespace onceswap::protocol {

/// What only doctor looks at: none of it refuses. Lines without a remedy; a rule without a line was not
/// broken.
std::vector<DoctorLine> look_besides(const DoctorFacts& facts);

/// How findings name the endpoint: the member that it speaks for, or its URL while that is not known.
std::string name_of_endpoint(const DoctorFacts& facts, std::size_t endpoint);

/// The endpoint that a finding names; nullopt for the cluster as a whole and for a member without one.
std::optional<std::size_t> endpoint_named(const DoctorFacts& facts, std::string_view host);

/// What can be done about a line, with its values filled in.
std::string remedy_for(const DoctorFacts& facts, const DoctorLine& line);

} // namespace onceswap::protocol
