/**
 * Programs as containers of a Docker engine. Start with {@link
 * drover.opsagent.docker.DockerRuntime}, then {@link
 * drover.opsagent.docker.recreate.CreateContainerBody}: how a container is cloned under another
 * image, and {@link drover.opsagent.docker.recreate.RecreationCheck}: the proof that nothing is
 * lost by it. Must not depend on attempts, gateways or processes of the machine.
 */
@NullMarked
package drover.opsagent.docker;

import org.jspecify.annotations.NullMarked;
