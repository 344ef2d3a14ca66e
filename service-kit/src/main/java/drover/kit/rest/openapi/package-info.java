/**
 * The OpenAPI 3.1 document of the REST API, made from the contracts, their comments and the access
 * table. Start with {@link drover.kit.rest.openapi.OpenApiGenerator}. Knows no service's domain and
 * no web server; {@link drover.kit.rest.Route} reads the HTTP options of the contracts.
 */
@NullMarked
package drover.kit.rest.openapi;

import org.jspecify.annotations.NullMarked;
