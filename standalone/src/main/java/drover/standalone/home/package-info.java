/**
 * The data directory of a mesh: its layout, version and lock, what it remembers, and the ports it
 * takes. Start with {@link drover.standalone.home.DataDirectory}. Knows no service.
 */
@NullMarked
package drover.standalone.home;

import org.jspecify.annotations.NullMarked;
