/** Tests of the data directory. Start with {@link drover.localenv.DataDirectoryTest}. */
@NullMarked
package drover.localenv;

import org.jspecify.annotations.NullMarked;
