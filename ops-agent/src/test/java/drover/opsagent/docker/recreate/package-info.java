/**
 * Tests of the recreation of containers. Start with {@link
 * drover.opsagent.docker.recreate.CreateContainerBodyTest}, then {@link
 * drover.opsagent.docker.recreate.RecreationCheckTest}.
 */
@NullMarked
package drover.opsagent.docker.recreate;

import org.jspecify.annotations.NullMarked;
