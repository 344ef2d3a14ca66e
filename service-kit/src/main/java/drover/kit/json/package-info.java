/**
 * JSON as the REST door speaks it, written over protobuf descriptors: one reader and one writer for
 * every message of the contracts. Start with {@link drover.kit.json.ProtoJson}. Knows no service
 * and no HTTP.
 */
@NullMarked
package drover.kit.json;

import org.jspecify.annotations.NullMarked;
