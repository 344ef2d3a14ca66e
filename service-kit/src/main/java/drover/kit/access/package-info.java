/**
 * Who may do what, as decisions: scopes, principals, and the table that gives every method the
 * scope it needs. Start with {@link drover.kit.access.AccessTable}. Pure: depends on the language
 * alone; what reads headers stands in {@code drover.kit.grpc}.
 */
@NullMarked
package drover.kit.access;

import org.jspecify.annotations.NullMarked;
