#include "protocol/row_decoding.hpp"

#include "targets.hpp"

namespace onceswap::fuzz {

/// The first byte chooses the decoder.
void row_decoding(std::string_view input) {
    switch (take_byte(input) % 12) {
    case 0:
        protocol::decode_identity(input);
        break;
    case 1:
        protocol::decode_catalogue(input);
        break;
    case 2:
        protocol::decode_keeper(input);
        break;
    case 3:
        protocol::decode_capabilities(input);
        break;
    case 4:
        protocol::decode_authority(input);
        break;
    case 5:
        protocol::decode_queue(input);
        break;
    case 6:
        protocol::decode_roster(input);
        break;
    case 7:
        protocol::decode_row_count(input);
        break;
    case 8:
        protocol::decode_row_policies(input);
        break;
    case 9:
        protocol::decode_grants(input);
        break;
    case 10:
        protocol::decode_column_types(input);
        break;
    default:
        protocol::decode_ddl_result(input);
        break;
    }
}

} // namespace onceswap::fuzz
