/**
 * The mesh under measurement: every service a process of its own, as they are run in earnest, so
 * that the processor time of each can be told. Start reading at {@link
 * drover.bench.mesh.BenchMesh}. Knows no figure.
 */
@NullMarked
package drover.bench.mesh;

import org.jspecify.annotations.NullMarked;
