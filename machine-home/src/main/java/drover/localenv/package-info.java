/**
 * Data directory of a local deployment: its layout, version and lock, the record of the running
 * deployment, and free ports. Start with {@link drover.localenv.DataDirectory}. Must not depend on
 * any service.
 */
@NullMarked
package drover.localenv;

import org.jspecify.annotations.NullMarked;
