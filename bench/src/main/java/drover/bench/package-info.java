/**
 * How fast the mesh is: one command per figure, each beside its limit measured in the same run.
 * Start reading at {@link drover.bench.Main}; {@link drover.bench.FleetBenchmark} is the main
 * figure. Nothing of the product may depend on this.
 */
@NullMarked
package drover.bench;

import org.jspecify.annotations.NullMarked;
