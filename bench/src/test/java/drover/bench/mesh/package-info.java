/** Tests of what a measurement has running. */
@org.jspecify.annotations.NullMarked
package drover.bench.mesh;
