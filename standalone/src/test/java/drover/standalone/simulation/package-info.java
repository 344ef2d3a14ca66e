/** The simulation as a test. */
@NullMarked
package drover.standalone.simulation;

import org.jspecify.annotations.NullMarked;
