/**
 * Tests of the Docker engine client. Start with {@link
 * drover.opsagent.docker.engine.EngineProtocolTest}.
 */
@NullMarked
package drover.opsagent.docker.engine;

import org.jspecify.annotations.NullMarked;
