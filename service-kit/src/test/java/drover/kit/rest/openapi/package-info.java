/** Tests of the OpenAPI document. Start with {@link drover.kit.rest.openapi.OpenApiTest}. */
@NullMarked
package drover.kit.rest.openapi;

import org.jspecify.annotations.NullMarked;
