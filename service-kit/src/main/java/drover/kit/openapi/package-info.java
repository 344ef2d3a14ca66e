/**
 * The OpenAPI 3.1 document of a REST door, made from the contracts, their comments and the access
 * table. Start with {@link drover.kit.openapi.OpenApi}. Knows no service's domain, no web server,
 * and no option of the contracts that {@link drover.kit.http.Route} has read already.
 */
@NullMarked
package drover.kit.openapi;

import org.jspecify.annotations.NullMarked;
