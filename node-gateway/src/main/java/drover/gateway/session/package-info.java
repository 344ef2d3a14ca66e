/**
 * What the gateway decides, as pure functions over records: who wins when a node dials twice, which
 * status replaces which, what an inventory becomes. Start with {@link
 * drover.gateway.session.SessionAdmissionRules} and {@link drover.gateway.session.LatestStatus}.
 * Must not know of messages, threads, clocks or the database.
 */
@NullMarked
package drover.gateway.session;

import org.jspecify.annotations.NullMarked;
