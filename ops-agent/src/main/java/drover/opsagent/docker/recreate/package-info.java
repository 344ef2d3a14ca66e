/**
 * Decides how a container is recreated with another image, and verifies that its configuration is
 * unchanged. Start with {@link drover.opsagent.docker.recreate.CreateContainerBody}, then {@link
 * drover.opsagent.docker.recreate.RecreationCheck}. Pure: no calls to the engine. Depends on the
 * objects of {@code docker.engine} only.
 */
@NullMarked
package drover.opsagent.docker.recreate;

import org.jspecify.annotations.NullMarked;
