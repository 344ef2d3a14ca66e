/**
 * Tests of the operators' API: REST, OpenAPI document, invalid input and concurrent load. Start
 * with {@link drover.system.api.RestApiIT}, then {@link drover.system.api.OpenApiIT}.
 */
@NullMarked
package drover.system.api;

import org.jspecify.annotations.NullMarked;
