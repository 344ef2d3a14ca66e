/**
 * The gateway's engine. Sessions, streams and credentials have their own packages; this one has
 * what works across them: drain, metrics and the scheduling of tasks.
 *
 * <p>Start with {@link drover.gateway.engine.session.SessionTable} and {@link
 * drover.gateway.engine.leader.LeaderStreamWriter}, then {@link
 * drover.gateway.engine.TaskScheduler}. Must not depend on generated messages: {@code api} passes
 * in {@link drover.gateway.session.OpaqueMessage} and sends what the engine returns.
 */
@NullMarked
package drover.gateway.engine;

import org.jspecify.annotations.NullMarked;
