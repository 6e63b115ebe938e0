// Files by URI, as clients of both protocols may name them: file:///home/me/a%20shader.mdg.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mobula::servers {

/// Of an absolute path.
std::string file_uri(std::string_view path);
/// Nothing if this is no URI of a file on this computer.
std::optional<std::string> path_of_uri(std::string_view uri);

}  // namespace mobula::servers
