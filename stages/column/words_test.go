package column

import (
	"strings"
	"testing"
)

func TestNamesSite(t *testing.T) {
	for _, name := range strings.Split("site,SITE_ID,Site ID,site.id,site-id,Study Site,Site (MRI),site2,site_num,siteID,"+
		"acquisition_site,Center,centre_nr,scanner,Scanner_Serial,scanner_model,DeviceSerialNumber,Manufacturer,"+
		"ManufacturersModelName,vendor,institute,InstitutionName,hospital", ",") {
		if !NamesSite(name) {
			t.Errorf("%s is no site", name)
		}
	}
	for _, name := range strings.Split("age,sex,website_visits,parasite,centered_fd,center_of_mass,scan_date,IQ,batched", ",") {
		if NamesSite(name) {
			t.Errorf("%s is a site", name)
		}
	}
}
