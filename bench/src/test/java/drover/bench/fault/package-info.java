/**
 * What is done to a mesh, and when: drawn by lot from a seed. Pure; start reading at {@link
 * drover.bench.fault.FaultPlan}. Who plays it is elsewhere.
 */
@NullMarked
package drover.bench.fault;

import org.jspecify.annotations.NullMarked;
