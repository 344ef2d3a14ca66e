/** Tests of tokens: good ones, and a corpus of attacks. */
@NullMarked
package drover.coordinator.token;

import org.jspecify.annotations.NullMarked;
