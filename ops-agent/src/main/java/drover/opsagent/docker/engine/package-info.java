/**
 * Client of a Docker engine: the port {@link drover.opsagent.docker.engine.ContainerEngine}, its
 * implementation over the engine's socket, and the objects that the engine returns. Start with
 * {@link drover.opsagent.docker.engine.ContainerEngine}, then {@link
 * drover.opsagent.docker.engine.DockerEngine}. Must not depend on programs, runtimes or attempts.
 */
@NullMarked
package drover.opsagent.docker.engine;

import org.jspecify.annotations.NullMarked;
