/** Tests of a service's connections with its neighbours. */
@org.jspecify.annotations.NullMarked
package drover.kit.edge;
