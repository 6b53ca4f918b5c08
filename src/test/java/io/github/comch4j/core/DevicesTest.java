package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.comch4j.DocaError;
import io.github.comch4j.Feature;
import io.github.comch4j.LibraryInfo;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DevicesTest {

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    @Test
    void bothSidesOfTheEmulatedMachineAreThere() {
        assertThat(Device.list())
                .filteredOn(DeviceInfo::server)
                .extracting(DeviceInfo::address)
                .containsExactly(Machine.DPU);
        assertThat(Device.list())
                .filteredOn(DeviceInfo::client)
                .extracting(DeviceInfo::address)
                .containsExactlyInAnyOrder(
                        PciAddress.of("b1:00.0"), PciAddress.of("b1:00.2"), PciAddress.of("b1:00.3"));
    }

    @Test
    void theDpuStandsForTheHostsFunctions() {
        try (Device dpu = Device.openDpu(Machine.DPU)) {
            assertThat(dpu.representors())
                    .extracting(RepresentorInfo::address)
                    .contains(Machine.HOST, PciAddress.of("b1:00.2"));
            assertThat(dpu.representors())
                    .filteredOn(info -> info.address().equals(Machine.HOST))
                    .extracting(RepresentorInfo::type)
                    .containsExactly(PciFunctionType.PF);
            try (Representor representor = dpu.openRepresentor(PciAddress.of("b1:00.2"))) {
                assertThat(representor.address()).isEqualTo(PciAddress.of("b1:00.2"));
            }
            assertThatThrownBy(() -> dpu.openRepresentor(PciAddress.of("77:00.0")))
                    .isInstanceOf(NoSuchDeviceException.class)
                    .hasMessageContaining("0000:77:00.0")
                    .hasMessageContaining("0000:b1:00.0");
        }
    }

    @Test
    void aHostsDeviceHasNoRepresentors() {
        try (Device host = Device.openHost(Machine.HOST)) {
            assertThat(host.representors()).isEmpty();
            assertThat(host.supportsClients()).isTrue();
            assertThat(host.supportsServers()).isFalse();
        }
    }

    @Test
    void theWrongSideOrAnUnknownAddressIsRefusedWithAReason() {
        assertThatThrownBy(() -> Device.openHost(Machine.DPU))
                .isInstanceOf(NoSuchDeviceException.class)
                .hasMessageContaining("clients");
        assertThatThrownBy(() -> Device.openDpu(Machine.HOST))
                .isInstanceOf(NoSuchDeviceException.class)
                .hasMessageContaining("servers");
        assertThatThrownBy(() -> Device.open(PciAddress.of("77:00.0")))
                .isInstanceOf(NoSuchDeviceException.class)
                .hasMessageContaining("0000:03:00.0");
    }

    @Test
    void theExceptionHasWhatWasAskedForAndWhatThereIs() {
        NoSuchDeviceException thrown =
                catchThrowableOfType(NoSuchDeviceException.class, () -> Device.open(PciAddress.of("77:00.0")));
        assertThat(thrown.error()).isEqualTo(DocaError.NOT_FOUND);
        assertThat(thrown.address()).isEqualTo(PciAddress.of("77:00.0"));
        assertThat(thrown.available()).contains(Machine.HOST, Machine.DPU);
        thrown = catchThrowableOfType(NoSuchDeviceException.class, () -> Device.openDpu(Machine.HOST));
        assertThat(thrown.error()).isEqualTo(DocaError.NOT_SUPPORTED);
        assertThat(thrown.available()).contains(Machine.DPU);
    }

    @Test
    void aDeviceMayBeOpenedTwice() {
        Device one = Device.open(Machine.HOST);
        try (Device two = Device.open(Machine.HOST)) {
            one.close();
            assertThat(two.supportsClients()).isTrue();
        }
    }

    @Test
    void theLibrarySaysThatItIsAnEmulation() {
        LibraryInfo library = Doca.library();
        String named = System.getProperty(Doca.LIBRARY_PROPERTY);
        boolean folder = named.contains("/"); // of this build
        assertThat(library.kind()).isEqualTo(folder ? LibraryInfo.Kind.FOLDER : LibraryInfo.Kind.EMULATED);
        assertThat(library.version()).isEqualTo(Doca.runtimeVersion()).contains("emulated");
        assertThat(library.location()).contains(folder ? named : "native/linux-");
        assertThat(library.reason()).contains(Doca.LIBRARY_PROPERTY);
    }

    @Test
    @Needs(Feature.DEVICE_DETAILS)
    void aDeviceTellsItsProperties() {
        try (Device dpu = Device.openDpu(Machine.DPU);
                Device host = Device.openHost(Machine.HOST)) {
            assertThat(dpu.info())
                    .isEqualTo(Device.list().stream()
                            .filter(DeviceInfo::server)
                            .findFirst()
                            .orElseThrow());
            DeviceProperties properties = dpu.properties();
            assertThat(properties.representorFilters()).contains(RepresentorFilter.NET);
            assertThat(properties.importsMemory()).isTrue();
            assertThat(host.properties().exportsMemory()).isTrue();
            assertThat(properties.vhcaId()).isPresent();
            assertThat(properties.mac().orElseThrow()).matches("([0-9a-f]{2}:){5}[0-9a-f]{2}");
            assertThat(host.properties().representorFilters()).isEmpty();
            assertThat(host.properties().vhcaId()).isNotEqualTo(properties.vhcaId());
        }
    }

    @Test
    @Needs(Feature.FUNCTION_TYPES)
    void aDeviceTellsWhatKindOfFunctionItIs() {
        try (Device host = Device.openHost(Machine.HOST);
                Device virtual = Device.open(PciAddress.of("b1:00.2"))) {
            assertThat(host.properties().functionType()).contains(PciFunctionType.PF);
            assertThat(virtual.properties().functionType()).contains(PciFunctionType.VF);
            assertThat(virtual.properties().sfIndex()).isEmpty();
        }
    }

    @Test
    void representorsCanBeFiltered() {
        try (Device dpu = Device.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST)) {
            assertThat(dpu.representors(RepresentorFilter.NET))
                    .isEqualTo(dpu.representors())
                    .contains(representor.info());
            assertThat(dpu.representors(RepresentorFilter.ALL)).containsAll(dpu.representors());
            assertThat(dpu.representors(RepresentorFilter.EMULATED)).doesNotContainAnyElementsOf(dpu.representors());
            assertThat(representor.info().hotplug()).isFalse();
        }
    }

    @Test
    void buildAndRuntimeHaveVersions() {
        assertThat(Doca.buildVersion()).matches("3\\.0\\.\\d+");
        assertThat(Doca.runtimeVersion())
                .startsWith(
                        switch (Doca.library().generation()) {
                            case CC_2_5 -> "2.5.";
                            case CC_2_6 -> "2.6.";
                            case COMCH -> Doca.buildVersion();
                        });
    }
}
