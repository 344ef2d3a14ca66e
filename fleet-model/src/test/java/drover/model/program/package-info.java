/** Tests of the configuration digest. Start with {@link drover.model.program.ConfigDigestTest}. */
@NullMarked
package drover.model.program;

import org.jspecify.annotations.NullMarked;
