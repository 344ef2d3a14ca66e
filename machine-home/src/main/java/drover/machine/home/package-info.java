/**
 * The data directory of a mesh: its layout, version and lock, what it remembers, and the ports it
 * takes. Start with {@link drover.machine.home.DataDirectory}. Knows no service.
 */
@NullMarked
package drover.machine.home;

import org.jspecify.annotations.NullMarked;
