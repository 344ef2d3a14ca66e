/**
 * Tests of JSON for messages of the contracts. Start with {@link
 * drover.kit.rest.json.ProtoJsonTest}.
 */
@NullMarked
package drover.kit.rest.json;

import org.jspecify.annotations.NullMarked;
