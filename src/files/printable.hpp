// Text from a file, made fit for a message: a hostile name must not move the cursor of a terminal,
// forge a log line or fill the screen.
#pragma once

#include <string>
#include <string_view>

namespace opencd::files {

/// `text` with control characters as \xNN, cut after `most` bytes.
std::string printable(std::string_view text, std::size_t most = 120);

/// The same in double quotes. (Not "quoted": std::quoted would win where the text is a std::string.)
std::string in_quotes(std::string_view text);

}  // namespace opencd::files
