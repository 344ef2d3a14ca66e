/**
 * How machines become nodes, as pure rules over records: what a join token may be, and what one is
 * worth. Start with {@link drover.gateway.identity.JoinTokenRules} and {@link
 * drover.gateway.identity.JoinTokenMetadata}. Must not know of messages, certificates' libraries,
 * clocks or the database.
 */
@NullMarked
package drover.gateway.identity;

import org.jspecify.annotations.NullMarked;
