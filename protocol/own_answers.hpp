#pragma once

#include "protocol/admission.hpp"

namespace onceswap::protocol {

/// Whether a part of an endpoint's answer, which shows the server `shown`, came from another server than the
/// endpoint's catalogue: there is a balancer behind the URL, or the address moved between two connections.
bool is_of_another_server(const EndpointFacts& endpoint, const Uuid& shown);

bool answers_as_one_server(const EndpointFacts& endpoint);

/// The facts without the parts that another server answered. They prove nothing about the endpoint's own, so
/// that whoever asks for them finds them missing, with both servers in the endpoint's problems.
AdmissionFacts own_answers(AdmissionFacts facts);

} // namespace onceswap::protocol
