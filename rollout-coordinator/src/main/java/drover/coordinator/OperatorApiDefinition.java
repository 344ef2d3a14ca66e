package drover.coordinator;

import drover.access.v1.ApiKeyServiceGrpc;
import drover.access.v1.TokenServiceGrpc;
import drover.audit.v1.AuditServiceGrpc;
import drover.coordinator.access.OperatorAccessTable;
import drover.event.v1.EventServiceGrpc;
import drover.incident.v1.IncidentServiceGrpc;
import drover.kit.rest.openapi.OpenApiGenerator;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.node.v1.NodeServiceGrpc;
import drover.rollout.v1.RolloutGroupServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.ServiceDescriptor;
import java.util.List;

/** What operators may call: the services behind both of their doors, and the document of REST. */
public final class OperatorApiDefinition {
    /** In the order in which the document tells of them. */
    static final List<ServiceDescriptor> SERVICES =
            List.of(
                    RolloutServiceGrpc.getServiceDescriptor(),
                    RolloutGroupServiceGrpc.getServiceDescriptor(),
                    NodeServiceGrpc.getServiceDescriptor(),
                    IncidentServiceGrpc.getServiceDescriptor(),
                    ManifestServiceGrpc.getServiceDescriptor(),
                    EventServiceGrpc.getServiceDescriptor(),
                    ApiKeyServiceGrpc.getServiceDescriptor(),
                    TokenServiceGrpc.getServiceDescriptor(),
                    AuditServiceGrpc.getServiceDescriptor());

    private OperatorApiDefinition() {}

    /** The OpenAPI 3.1 document of REST, the same for every replica of this version. */
    public static String openApiDocument() {
        return OpenApiDocumentHolder.TEXT;
    }

    /** Made when it is first asked for: a start need not wait for it. */
    private static final class OpenApiDocumentHolder {
        static final String TEXT = OpenApiGenerator.generate(OperatorAccessTable.TABLE, SERVICES);
    }
}
