/**
 * What the gateway does: it keeps the sessions, wakes those who watch them, and writes to streams
 * only as fast as they are read. Start with {@link drover.gateway.engine.session.SessionTable} and {@link
 * drover.gateway.engine.leader.LeaderStreamWriter}. Must not know generated messages; the doors hand in and take
 * out {@link drover.gateway.session.OpaqueMessage} ones.
 */
@NullMarked
package drover.gateway.engine;

import org.jspecify.annotations.NullMarked;
