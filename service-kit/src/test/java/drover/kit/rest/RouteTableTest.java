package drover.kit.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.MethodDescriptor;
import drover.manifest.v1.GetManifestRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RouteTableTest {
    private static final MethodDescriptor ANY =
            GetManifestRequest.getDescriptor().getFile().getServices().get(0).getMethods().get(0);

    private static final Route BY_ID = route("POST", "/manifests/{id}");
    private static final Route VALIDATE = route("POST", "/manifests/validate");
    private static final RouteTable TABLE =
            new RouteTable(List.of(BY_ID, VALIDATE, route("GET", "/manifests/{id}")));

    @Test
    void literalsBeatCapturesRegardlessOfTheOrderOfTheContract() {
        assertThat(TABLE.find("POST", "/manifests/validate"))
                .isEqualTo(new RouteTable.Match.Found(VALIDATE, Map.of()));
        assertThat(TABLE.find("POST", "/manifests/other"))
                .isEqualTo(new RouteTable.Match.Found(BY_ID, Map.of("id", "other")));
    }

    @Test
    void namesEveryVerbOfAPath() {
        assertThat(TABLE.find("PUT", "/manifests/validate"))
                .isEqualTo(new RouteTable.Match.WrongVerb(List.of("GET", "HEAD", "POST")));
        assertThat(TABLE.find("PUT", "/manifest")).isEqualTo(new RouteTable.Match.NoSuchPath());
    }

    private static Route route(String verb, String path) {
        return new Route(verb, PathTemplate.parse(path), "*", ANY);
    }
}
