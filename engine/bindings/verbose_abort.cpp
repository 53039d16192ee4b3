#include <__verbose_abort>
#include <cstdlib>

#ifndef _LIBCPP_VERBOSE_ABORT_NOEXCEPT  // newer libc++ declares it so
#define _LIBCPP_VERBOSE_ABORT_NOEXCEPT
#endif

// libc++ calls this where it would throw. Its own version prints the reason first, for which the
// module would carry printf (3 KB); abort() reaches the page as 'engine-crashed' all the same.
void std::__libcpp_verbose_abort(const char*, ...) _LIBCPP_VERBOSE_ABORT_NOEXCEPT { std::abort(); }
