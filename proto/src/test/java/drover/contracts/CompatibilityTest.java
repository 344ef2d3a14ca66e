package drover.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Nothing that was published goes away or changes its meaning. Needs no tool; {@link BufTest} asks
 * more where buf is found. What is retired on purpose leaves the baseline in the same commit.
 */
final class CompatibilityTest {
    @Test
    void everythingOfTheBaselineIsStillThereUnchanged() throws IOException {
        Set<String> before = declarations(Contracts.baseline());
        assertThat(before).hasSizeGreaterThan(500);
        assertThat(declarations(Contracts.present())).containsAll(before);
    }

    /** One line for each thing that a caller may rely on. */
    private static Set<String> declarations(List<FileDescriptorProto> files) {
        Set<String> lines = new TreeSet<>();
        for (FileDescriptorProto file : files) {
            String home = file.getPackage();
            file.getMessageTypeList().forEach(message -> message(home, message, lines));
            file.getEnumTypeList().forEach(values -> enumeration(home, values, lines));
            file.getServiceList()
                    .forEach(
                            service ->
                                    service.getMethodList()
                                            .forEach(
                                                    rpc ->
                                                            lines.add(
                                                                    rpc(
                                                                            home
                                                                                    + "."
                                                                                    + service
                                                                                            .getName(),
                                                                            rpc))));
        }
        return lines;
    }

    private static void message(String home, DescriptorProto message, Set<String> lines) {
        String name = home + "." + message.getName();
        message.getFieldList()
                .forEach(
                        field ->
                                lines.add(
                                        "field %s.%s = %d %s %s %s"
                                                .formatted(
                                                        name,
                                                        field.getName(),
                                                        field.getNumber(),
                                                        field.getLabel(),
                                                        field.getType(),
                                                        field.getTypeName())));
        message.getNestedTypeList().forEach(nested -> message(name, nested, lines));
        message.getEnumTypeList().forEach(values -> enumeration(name, values, lines));
    }

    private static void enumeration(String home, EnumDescriptorProto values, Set<String> lines) {
        values.getValueList()
                .forEach(
                        value ->
                                lines.add(
                                        "value %s.%s.%s = %d"
                                                .formatted(
                                                        home,
                                                        values.getName(),
                                                        value.getName(),
                                                        value.getNumber())));
    }

    private static String rpc(String service, MethodDescriptorProto rpc) {
        return "rpc %s.%s(%s %s) returns (%s %s)"
                .formatted(
                        service,
                        rpc.getName(),
                        rpc.getClientStreaming(),
                        rpc.getInputType(),
                        rpc.getServerStreaming(),
                        rpc.getOutputType());
    }
}
