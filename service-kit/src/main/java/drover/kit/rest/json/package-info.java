/**
 * JSON of the REST API, written over protobuf descriptors: one reader and one writer for every
 * message of the contracts. Start with {@link drover.kit.rest.json.ProtoJson}. Knows no service and
 * no HTTP.
 */
@NullMarked
package drover.kit.rest.json;

import org.jspecify.annotations.NullMarked;
