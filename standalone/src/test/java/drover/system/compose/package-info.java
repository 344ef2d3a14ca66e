/**
 * Tests of {@code deploy/compose}: its files, its scripts, and a deployment that runs from it.
 * Start with {@link drover.system.compose.ComposeFileIT}, then {@link
 * drover.system.compose.ComposeIT}.
 */
@NullMarked
package drover.system.compose;

import org.jspecify.annotations.NullMarked;
