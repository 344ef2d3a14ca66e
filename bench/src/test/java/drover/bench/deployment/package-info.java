/**
 * Tests of the processes that a measurement starts. Start with {@link
 * drover.bench.deployment.StartedResourcesTest}.
 */
@NullMarked
package drover.bench.deployment;

import org.jspecify.annotations.NullMarked;
